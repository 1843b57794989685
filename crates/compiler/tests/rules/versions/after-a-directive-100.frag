// ES 1.00, 3.4: `#version` comes before any other directive.
#define A 1.0
#version 100 //~ error: `#version` must be the first of the source
void main() {
}
