// ES 1.00, 3.7: Keywords cannot be names of functions.
#version 100
precision mediump float;
float while(float a) { return a; } //~ error: expected the name of a function, found the keyword `while`
float vec3(float a) { return a; } //~ error: the type `vec3` cannot be a name

void main() {
    gl_FragColor = vec4(1.0);
}
