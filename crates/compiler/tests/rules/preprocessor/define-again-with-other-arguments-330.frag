// GLSL 3.30, 3.3: A macro is not defined again with other arguments.
#version 330
out vec4 color;
#define F(x) (1.0)
#define F(x, y) (1.0) //~ error: the macro `F` is defined differently on line 4
#define G(x) (x)
#define G(y) (y) //~ error: the macro `G` is defined differently on line 6
#define H 1.0
#define H() 1.0 //~ error: the macro `H` is defined differently on line 8

void main() {
    color = vec4(1.0);
}
