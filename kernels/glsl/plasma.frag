// Sums of sines.
#ifdef GL_ES
precision mediump float;
#endif
uniform float time;
uniform vec2 resolution;
#define PI 3.14159265

void main() {
    vec2 p = gl_FragCoord.xy / resolution * 8.0 - 4.0;
    float v = sin(p.x + time);
    v += sin((p.y + time) * 0.5);
    v += sin((p.x + p.y + time) * 0.5);
    p += vec2(sin(time / 3.0), cos(time / 2.0));
    v += sin(sqrt(p.x * p.x + p.y * p.y + 1.0) + time);
    v *= 0.5;
    gl_FragColor = vec4(vec3(sin(v * PI), sin(v * PI + 2.0 * PI / 3.0), sin(v * PI + 4.0 * PI / 3.0)) * 0.5 + 0.5, 1.0);
}
