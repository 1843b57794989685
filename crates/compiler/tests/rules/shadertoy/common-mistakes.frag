// Shadertoy: What no version allows is an error.
vec3 f(vec2 p) { return vec3(p, 1.0); }
void mainImage(out vec4 o, in vec2 p) {
    vec3 a = f(vec3(1.0)); //~ error: no function `f` takes (vec3)
    o = f(p); //~ error: the value is of type `vec3`; expected `vec4`
    float b = p; //~ error: the initial value is of type `vec2`; expected `float`
    o.rgb = mix(vec3(1.0), vec2(0.0), 0.5); //~ error: no function `mix` takes (vec3, vec2, float)
}
