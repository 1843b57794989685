// GLSL 1.20, 4.3: There are no layouts.
#version 120
layout(location = 0) uniform vec4 a; //~ error: `layout` is a keyword of GLSL 1.40 and GLSL ES 3.00, not of GLSL 1.20

void main() {
    gl_FragColor = vec4(1.0);
}
