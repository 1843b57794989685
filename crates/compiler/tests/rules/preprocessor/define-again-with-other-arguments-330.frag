// GLSL 3.30, 3.3: A macro is not defined again with other arguments.
#version 330
out vec4 color;
#define F(x) (1.0)
#define F(x, y) (1.0) //~ error
#define G(x) (x)
#define G(y) (y) //~ error
#define H 1.0
#define H() 1.0 //~ error

void main() {
    color = vec4(1.0);
}
