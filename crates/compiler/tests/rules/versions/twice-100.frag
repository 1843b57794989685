// ES 1.00, 3.4: A shader has one `#version`.
#version 100
#version 100 //~ error: `#version` must be the first of the source
void main() {
}
