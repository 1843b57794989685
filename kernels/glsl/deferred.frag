#version 300 es
// Two outputs: colour and normal with depth.
precision highp float;
in vec2 vUv;
layout(location = 0) out vec4 albedo;
layout(location = 1) out vec4 surface;

void main() {
    vec2 p = vUv * 2.0 - 1.0;
    float z2 = 1.0 - dot(p, p);
    if (z2 < 0.0) discard;
    vec3 n = vec3(p, sqrt(z2));
    int tile = (int(vUv.x * 8.0) + int(vUv.y * 8.0)) % 2;
    albedo = tile == 0 ? vec4(0.9, 0.5, 0.2, 1.0) : vec4(0.2, 0.3, 0.6, 1.0);
    surface = vec4(n * 0.5 + 0.5, n.z);
}
