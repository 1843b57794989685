// Shadertoy: a rounded box, a circle and their smooth union.
float box(vec2 p, vec2 size, float radius) {
    vec2 d = abs(p) - size + radius;
    return length(max(d, 0.0)) + min(max(d.x, d.y), 0.0) - radius; // allow(not-finite)
}

float join(float a, float b, float k) {
    float h = clamp(0.5 + 0.5 * (b - a) / k, 0.0, 1.0);
    return mix(b, a, h) - k * h * (1.0 - h);
}

void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    vec2 p = (2.0 * fragCoord - iResolution.xy) / iResolution.y;
    vec2 center = 0.5 * vec2(cos(iTime), sin(iTime));
    float d = join(box(p, vec2(0.5, 0.3), 0.1), length(p - center) - 0.3, 0.2);
    vec3 color = d > 0.0 ? vec3(0.9, 0.6, 0.3) : vec3(0.4, 0.7, 0.85);
    color *= 1.0 - exp(-6.0 * abs(d));
    color *= 0.8 + 0.2 * cos(150.0 * d);
    fragColor = vec4(mix(color, vec3(1.0), 1.0 - smoothstep(0.0, 0.02, abs(d))), 1.0);
}
