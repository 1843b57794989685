#version 300 es
// ES 3.00, 8: Arguments have the types that the function takes.
precision highp float;
out vec4 color;
void main() {
    float a = sin(true); //~ error: no function `sin` takes (bool)
    vec2 b = max(vec2(1.0), vec3(1.0)); //~ error: no function `max` takes (vec2, vec3)
    float c = length(mat2(1.0)); //~ error: no function `length` takes (mat2)
    float d = clamp(1.0, vec2(0.0), vec2(1.0)); //~ error: no function `clamp` takes (float, vec2, vec2)
    vec2 e = step(vec3(1.0), vec2(1.0)); //~ error: no function `step` takes (vec3, vec2)
    float f = mix(1.0, 2.0, vec2(0.5)); //~ error: no function `mix` takes (float, float, vec2)
}
