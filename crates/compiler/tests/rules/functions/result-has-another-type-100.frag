// ES 1.00, 6.4: What a function returns has its type.
#version 100
precision mediump float;
float f() {
    return vec2(1.0); //~ error
}
vec3 g() {
    return vec2(1.0); //~ error
}
bool h() {
    return 1.0; //~ error
}

void main() {
    gl_FragColor = vec4(1.0);
}
