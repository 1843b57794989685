// GLSL 3.30, 4.7: The order is interpolation, storage, precision.
#version 330
out vec4 color;
in smooth vec2 a; //~ error: `smooth` comes before `in` in GLSL 3.30
in flat int b; //~ error: `flat` comes before `in` in GLSL 3.30
mediump in vec2 c; //~ error: `in` comes before `mediump` in GLSL 3.30

void main() {
    color = vec4(1.0);
}
