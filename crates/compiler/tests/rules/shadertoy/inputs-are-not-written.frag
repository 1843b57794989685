// Shadertoy: The page's values are uniforms.
void mainImage(out vec4 o, in vec2 p) {
    iTime = 1.0; //~ error: `iTime` is a uniform, and cannot be written to
    iResolution.x += 1.0; //~ error: `iResolution` is a uniform, and cannot be written to
    o = vec4(1.0);
}
