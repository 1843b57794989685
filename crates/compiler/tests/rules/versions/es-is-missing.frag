// ES 3.00, 3.3: Version 300 is that of OpenGL ES, and says so: `#version 300 es`.
#version 300 //~ error: version 300 is an OpenGL ES version
void main() {
}
