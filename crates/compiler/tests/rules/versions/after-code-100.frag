// ES 1.00, 3.4: `#version` comes before any code.
void f() {}
#version 100 //~ error: `#version` must be the first of the source
void main() {
}
