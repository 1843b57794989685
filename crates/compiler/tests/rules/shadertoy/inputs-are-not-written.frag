// Shadertoy: The page's values are uniforms.
void mainImage(out vec4 o, in vec2 p) {
    iTime = 1.0; //~ error
    iResolution.x += 1.0; //~ error
    o = vec4(1.0);
}
