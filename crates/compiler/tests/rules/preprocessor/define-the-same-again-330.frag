// GLSL 3.30, 3.3: A macro may be defined again if the text is the same; the amount of white space does not count.
// value: 3 4 0 1
#version 330
out vec4 color;
#define A 1.0 + 2.0
#define A   1.0   +   2.0
#define A 1.0 /* one */ + /* two */ 2.0
#define F(x) (x + 1.0)
#define F(x)   (x   +   1.0)

void main() {
    color = vec4(A, F(3.0), 0.0, 1.0);
}
