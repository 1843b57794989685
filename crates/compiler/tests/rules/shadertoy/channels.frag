// Shadertoy: iChannel0 to iChannel3 are pictures.
void mainImage(out vec4 o, in vec2 p) {
    vec2 uv = p / iResolution.xy;
    o = texture(iChannel0, uv) + texelFetch(iChannel1, ivec2(p), 0) + textureLod(iChannel2, uv, 0.0) + texture(iChannel3, uv);
}
