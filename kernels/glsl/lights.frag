// Forty coloured lights over a floor: a loop that reads uniforms by its counter.
precision highp float;
varying vec2 vUv;
uniform vec3 place[40];
uniform vec3 color[40];

void main() {
    vec3 sum = vec3(0.02);
    for (int i = 0; i < 40; i++) {
        vec3 away = place[i] - vec3(vUv, 0.0);
        float near = inversesqrt(dot(away, away));
        // The cosine of the angle is the height times near.
        sum += color[i] * (place[i].z * near * near * near);
    }
    gl_FragColor = vec4(sum / (sum + 1.0), 1.0);
}
