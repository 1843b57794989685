// Shadertoy: What no version allows is an error.
vec3 f(vec2 p) { return vec3(p, 1.0); }
void mainImage(out vec4 o, in vec2 p) {
    vec3 a = f(vec3(1.0)); //~ error
    o = f(p); //~ error
    float b = p; //~ error
    o.rgb = mix(vec3(1.0), vec2(0.0), 0.5); //~ error
}
