#version 120
// Three lights in an array of structures; the normal comes from a varying matrix.
struct Light { vec3 position; vec3 color; };
uniform Light lights[3];
varying vec3 vPosition;
varying mat3 vFrame;
uniform vec3 eye;

void main() {
    vec3 n = normalize(vFrame * vec3(sin(vPosition.x * 9.0) * 0.3, cos(vPosition.y * 9.0) * 0.3, 1.0));
    vec3 v = normalize(eye - vPosition);
    vec3 color = vec3(0.05);
    for (int i = 0; i < 3; ++i) {
        vec3 l = normalize(lights[i].position - vPosition);
        vec3 h = normalize(l + v);
        color += lights[i].color * (max(dot(n, l), 0.0) + pow(max(dot(n, h), 0.0), 40.0));
    }
    gl_FragColor = vec4(color, 1.0);
}
