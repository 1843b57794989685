// Write 3.0 for 0.8: it turns faster.
// Drag in the picture: the light moves.
const float SPEED = 0.8;

void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    vec2 uv = (fragCoord - 0.5 * iResolution.xy) / iResolution.y;
    vec2 lamp = vec2(-0.6, 0.9);
    if (iMouse.x > 0.0) lamp = 4.0 * (iMouse.xy - 0.5 * iResolution.xy) / iResolution.y;
    vec3 light = normalize(vec3(lamp, -1.0));
    vec3 eye = vec3(0.0, 0.5, -2.9);
    vec3 ray = normalize(vec3(uv.x, uv.y - 0.2, 1.3));
    vec3 color = mix(vec3(0.75, 0.8, 0.9), vec3(0.15, 0.25, 0.55), uv.y + 0.5);
    // The floor is at height -0.8: a chess board, dark below the ball.
    if (ray.y < -0.02) {
        vec3 place = eye - ray * (1.1 / ray.y);
        float tiles = mod(floor(place.x * 2.0) + floor(place.z * 2.0), 2.0);
        float shade = smoothstep(0.1, 0.9, length(place.xz));
        color = mix(color, vec3(0.35 + 0.4 * tiles) * (0.35 + 0.65 * shade), smoothstep(0.02, 0.15, -ray.y));
    }
    // Where the ray meets the ball, whose radius is 0.8.
    float b = dot(eye, ray);
    float h = b * b - dot(eye, eye) + 0.64;
    if (h > 0.0) {
        vec3 normal = normalize(eye - ray * (b + sqrt(h)));
        // Its axis leans; six stripes go around it.
        vec3 p = vec3(0.92 * normal.x + 0.39 * normal.y, 0.92 * normal.y - 0.39 * normal.x, normal.z);
        float stripe = sin(3.0 * (atan(p.z, p.x) + SPEED * iTime));
        vec3 paint = mix(vec3(0.95), vec3(0.8, 0.08, 0.15), smoothstep(-0.08, 0.08, stripe));
        paint = mix(paint, vec3(0.95, 0.75, 0.1), smoothstep(0.92, 0.94, abs(p.y)));
        float shine = pow(max(dot(reflect(ray, normal), light), 0.001), 40.0);
        color = paint * (0.2 + 0.8 * max(dot(normal, light), 0.0)) + 0.6 * shine;
    }
    fragColor = vec4(sqrt(color), 1.0);
}
