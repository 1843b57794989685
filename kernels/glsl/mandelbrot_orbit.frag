// Twelve steps of the Mandelbrot iteration, unrolled, with a trap for colour.
precision highp float;
varying vec2 vUv;
uniform vec3 view;

void main() {
    vec2 c = view.xy + (vUv - 0.5) * view.z;
    vec2 z = vec2(0.0);
    float trap = 10.0;
    for (int i = 0; i < 12; i++) {
        z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
        z = clamp(z, -8.0, 8.0);
        trap = min(trap, abs(z.x + z.y));
    }
    gl_FragColor = vec4(0.5 + 0.5 * cos(6.28 * (trap + vec3(0.0, 0.33, 0.67))), 1.0);
}
