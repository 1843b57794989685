// GLSL 3.30, 3.3: A macro is not defined again with another text.
#version 330
out vec4 color;
#define A 1.0
#define A 2.0 //~ error: the macro `A` is defined differently on line 4
#define F(x) (x)
#define F(x) (x + 1.0) //~ error: the macro `F` is defined differently on line 6

void main() {
    color = vec4(1.0);
}
