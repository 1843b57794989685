#version 330
// GLSL 3.30, 5.5: What names a component twice is no variable, and neither are its components.
void main() {
    vec2 a = vec2(0.0);
    (a.xxyy).xz = vec2(1.0, 2.0); //~ error: this is a value; `=` needs a variable, or a part of one
    a.xx.x++; //~ error: this is a value; `++` needs a variable, or a part of one
    float b = a.xx.y;
}
