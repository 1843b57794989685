#version 300 es 1 //~ error: unexpected text after `#version`
// ES 3.00, 3.3: Nothing follows the profile.
void main() {
}
