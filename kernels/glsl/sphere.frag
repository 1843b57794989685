// Shadertoy: one ray against one ball, with light and a floor.
void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    vec2 uv = (fragCoord - 0.5 * iResolution.xy) / iResolution.y;
    vec3 origin = vec3(0.0, 0.2, -2.0);
    vec3 ray = normalize(vec3(uv, 1.2));
    vec3 light = normalize(vec3(sin(iTime), 1.0, -cos(iTime)));
    float b = dot(origin, ray);
    float c = dot(origin, origin) - 0.49;
    float h = b * b - c;
    vec3 color = mix(vec3(0.6, 0.7, 0.9), vec3(0.2, 0.3, 0.6), uv.y + 0.5);
    if (ray.y < -0.05) {
        vec3 floor_ = origin + ray * (-0.9 / ray.y);
        float tiles = mod(floor(floor_.x * 2.0) + floor(floor_.z * 2.0), 2.0); // allow(not-finite)
        color = mix(vec3(0.25), vec3(0.75), tiles);
    }
    if (h > 0.0) {
        vec3 normal = normalize(origin + ray * (-b - sqrt(h)));
        float diffuse = max(dot(normal, light), 0.0);
        float shine = pow(max(dot(reflect(ray, normal), light), 0.0), 32.0); // allow(not-finite)
        color = vec3(0.8, 0.2, 0.1) * (0.15 + 0.85 * diffuse) + shine;
    }
    fragColor = vec4(sqrt(color), 1.0);
}
