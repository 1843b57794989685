#version 300 es
// ES 3.00, 8: Arguments have the types that the function takes.
precision highp float;
out vec4 color;
void main() {
    float a = sin(true); //~ error
    vec2 b = max(vec2(1.0), vec3(1.0)); //~ error
    float c = length(mat2(1.0)); //~ error
    float d = clamp(1.0, vec2(0.0), vec2(1.0)); //~ error
    vec2 e = step(vec3(1.0), vec2(1.0)); //~ error
    float f = mix(1.0, 2.0, vec2(0.5)); //~ error
}
