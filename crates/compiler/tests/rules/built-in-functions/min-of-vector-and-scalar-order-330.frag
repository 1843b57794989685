// GLSL 3.30, 8.3: The scalar is the second argument of min, max and mod.
#version 330
out vec4 color;
void main() {
    vec2 a = min(1.0, vec2(1.0)); //~ error: no function `min` takes (float, vec2)
    vec2 b = mod(1.0, vec2(1.0)); //~ error: no function `mod` takes (float, vec2)
    vec2 c = step(vec2(1.0), 1.0); //~ error: no function `step` takes (vec2, float)
}
