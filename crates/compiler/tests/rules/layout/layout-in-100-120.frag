// GLSL 1.20, 4.3: There are no layouts.
#version 120
layout(location = 0) uniform vec4 a; //~ error

void main() {
    gl_FragColor = vec4(1.0);
}
