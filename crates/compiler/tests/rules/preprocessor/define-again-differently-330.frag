// GLSL 3.30, 3.3: A macro is not defined again with another text.
#version 330
out vec4 color;
#define A 1.0
#define A 2.0 //~ error
#define F(x) (x)
#define F(x) (x + 1.0) //~ error

void main() {
    color = vec4(1.0);
}
