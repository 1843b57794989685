// GLSL 1.10, 7.5: Lights, materials, fog and points are structures of uniforms, whose types have names.
// set gl_LightSource[2].diffuse = 1 2 3 4
// set gl_LightSource[2].spotDirection = 5 6 7
// set gl_FrontMaterial.shininess = 8
// set gl_FrontLightProduct[1].specular = 0 0 1 0
// set gl_LightModel.ambient = 0 0 0 1
// set gl_Fog.density = 0.25
// set gl_Point.fadeThresholdSize = 2
// set gl_ObjectPlaneS[7] = 0 10 0 0
// value: 9 18 11 5.25
#version 110
vec4 lit(gl_LightSourceParameters light, in gl_MaterialParameters material) {
    return light.diffuse + vec4(material.shininess, light.spotDirection.y, light.spotDirection.z, 0.0);
}
void main() {
    gl_FogParameters fog = gl_Fog;
    vec4 color = lit(gl_LightSource[2], gl_FrontMaterial) + gl_FrontLightProduct[1].specular + gl_ObjectPlaneS[7];
    gl_FragColor = color + gl_LightModel.ambient + vec4(0.0, 0.0, 0.0, fog.density) + gl_Point.fadeThresholdSize * gl_ClipPlane[0];
}
