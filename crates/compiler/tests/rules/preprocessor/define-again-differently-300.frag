#version 300 es
// ES 3.00, 3.4: A macro is not defined again with another text.
precision highp float;
out vec4 color;
#define A 1.0
#define A 2.0 //~ error: the macro `A` is defined differently on line 5
#define F(x) (x)
#define F(x) (x + 1.0) //~ error: the macro `F` is defined differently on line 7

void main() {
    color = vec4(1.0);
}
