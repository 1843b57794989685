// ES 3.00, 3.3: `es` is written in small letters.
#version 300 ES //~ error
void main() {
}
