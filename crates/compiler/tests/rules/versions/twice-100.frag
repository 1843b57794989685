// ES 1.00, 3.4: A shader has one `#version`.
#version 100
#version 100 //~ error
void main() {
}
