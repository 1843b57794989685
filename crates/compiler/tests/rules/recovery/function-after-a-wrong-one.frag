// GLSL 3.30, 9: A mistake in one function hides none in the next.
#version 330
out vec4 color;
float f(float a) {
    return a +; //~ error
}
float g(float a) {
    return f(a, a); //~ error
}
float h(float a {  //~ error
    return a;
}

void main() {
    float a = true; //~ error
}
