//! Names of other languages, of other stages, and of mathematics, with what GLSL calls them.

/// The replacement of a function that GLSL does not have.
pub fn function(name: &str) -> Option<&'static str> {
    Some(match name {
        "saturate" => "write `clamp(x, 0.0, 1.0)`",
        "lerp" => "GLSL calls it `mix`",
        "frac" => "GLSL calls it `fract`",
        "rsqrt" => "GLSL calls it `inversesqrt`",
        "atan2" => "GLSL calls it `atan(y, x)`",
        "fmod" => {
            "GLSL calls it `mod`; for negative numbers it is another remainder: `x - y * trunc(x / y)`"
        }
        "mul" => "write `a * b`: `*` is the product of matrices and vectors",
        "ddx" | "ddx_coarse" | "ddx_fine" | "dpdx" => "GLSL calls it `dFdx`",
        "ddy" | "ddy_coarse" | "ddy_fine" | "dpdy" => "GLSL calls it `dFdy`",
        "tex2D" | "tex2Dlod" | "tex2Dbias" | "tex2Dproj" | "Sample" | "SampleLevel"
        | "textureSample" => {
            "GLSL calls it `texture(sampler, place)`, in ES 1.00 and before GLSL 1.30 `texture2D`"
        }
        "mad" => "write `a * b + c`",
        "clip" => "write `if (x < 0.0) discard;`",
        "sincos" => "write `sin(x)` and `cos(x)`",
        "log10" => "write `log2(x) * 0.30103`",
        "exp10" => "write `pow(10.0, x)`",
        "rcp" => "write `1.0 / x`",
        "isfinite" => "write `!isinf(x) && !isnan(x)`",
        "asfloat" => "GLSL calls it `intBitsToFloat`",
        "asint" => "GLSL calls it `floatBitsToInt`",
        "asuint" => "GLSL calls it `floatBitsToUint`",
        "countbits" => "GLSL calls it `bitCount`",
        "select" => "write `condition ? a : b`, or `mix(b, a, condition)` of vectors",
        "fabs" | "fabsf" => "GLSL calls it `abs`",
        "fmin" | "fminf" => "GLSL calls it `min`",
        "fmax" | "fmaxf" => "GLSL calls it `max`",
        "sqrtf" | "sinf" | "cosf" | "tanf" | "expf" | "logf" | "powf" | "floorf" | "ceilf"
        | "atanf" => "leave the `f` at the end out",
        "ln" => "GLSL calls it `log`",
        "sqr" | "square" => "write `x * x`",
        "cbrt" => "write `pow(x, 1.0 / 3.0)`",
        "hypot" => "write `length(vec2(x, y))`",
        "rand" | "random" | "noise" | "hash" | "snoise" => {
            "GLSL has no random numbers: define a function, or give them as an input"
        }
        "printf" => "a shader prints nothing: write the value to an output",
        "float2" | "half2" => "GLSL calls the type `vec2`",
        "float3" | "half3" => "GLSL calls the type `vec3`",
        "float4" | "half4" => "GLSL calls the type `vec4`",
        "int2" | "int3" | "int4" | "bool2" | "bool3" | "bool4" | "uint2" | "uint3" | "uint4"
        | "half" | "double" | "float2x2" | "float3x3" | "float4x4" | "long" | "short"
        | "unsigned" | "byte" => return kind(name),
        "ftransform" => "it is a function of vertex shaders; this is a fragment shader",
        "EmitVertex" | "EndPrimitive" | "EmitStreamVertex" | "EndStreamPrimitive" => {
            "it is a function of geometry shaders; this is a fragment shader"
        }
        "barrier" | "memoryBarrier" | "groupMemoryBarrier" | "memoryBarrierShared" => {
            "it is a function of compute shaders; the points of a fragment shader do not see each other"
        }
        "imageLoad" => "the machine reads textures only: write `texelFetch(sampler, place, 0)`",
        "imageStore" => {
            "a fragment shader writes its outputs only: `gl_FragColor`, `gl_FragData`, or an `out` variable"
        }
        "imageSize" => "GLSL calls that of a texture `textureSize(sampler, 0)`",
        "atomicAdd" | "imageAtomicAdd" | "atomicCounterIncrement" => {
            "the machine has no atomic operations"
        }
        "subpassLoad" => "it belongs to Vulkan; pass the picture as a `sampler2D`",
        _ => return None,
    })
}

/// The replacement of a type that GLSL does not have.
pub fn kind(name: &str) -> Option<&'static str> {
    Some(match name {
        "float2" | "half2" | "Vec2" | "vec2f" => "GLSL calls it `vec2`",
        "float3" | "half3" | "Vec3" | "vec3f" => "GLSL calls it `vec3`",
        "float4" | "half4" | "Vec4" | "vec4f" | "fixed4" => "GLSL calls it `vec4`",
        "int2" | "vec2i" => "GLSL calls it `ivec2`",
        "int3" | "vec3i" => "GLSL calls it `ivec3`",
        "int4" | "vec4i" => "GLSL calls it `ivec4`",
        "uint2" | "vec2u" => "GLSL calls it `uvec2`",
        "uint3" | "vec3u" => "GLSL calls it `uvec3`",
        "uint4" | "vec4u" => "GLSL calls it `uvec4`",
        "bool2" => "GLSL calls it `bvec2`",
        "bool3" => "GLSL calls it `bvec3`",
        "bool4" => "GLSL calls it `bvec4`",
        "float2x2" | "half2x2" => {
            "GLSL calls it `mat2`; its product takes rows and columns in the other order"
        }
        "float3x3" | "half3x3" => {
            "GLSL calls it `mat3`; its product takes rows and columns in the other order"
        }
        "float4x4" | "half4x4" | "matrix" => {
            "GLSL calls it `mat4`; its product takes rows and columns in the other order"
        }
        "half" | "fixed" | "real" | "f32" | "Float" | "number" => "GLSL calls it `float`",
        "double" => "the machine's numbers are `float`",
        "dvec2" | "dvec3" | "dvec4" => {
            "the machine's numbers are `float`: take `vec2`, `vec3` or `vec4`"
        }
        "long" | "short" | "i32" | "integer" | "Int" | "byte" | "char" => "GLSL calls it `int`",
        "unsigned" | "u32" => "GLSL calls it `uint`",
        "boolean" | "Bool" => "GLSL calls it `bool`",
        "string" | "String" => "GLSL has no texts",
        "let" | "var" | "auto" => "write the type, as `float`",
        "Texture2D" | "texture2D" | "SamplerState" | "sampler" | "texture_2d" => {
            "GLSL calls it `sampler2D`"
        }
        "cbuffer" => "write `uniform` before each variable",
        _ => return None,
    })
}

/// The replacement of a variable that this stage does not have.
pub fn variable(name: &str) -> Option<&'static str> {
    Some(match name {
        "gl_Position" | "gl_PointSize" => {
            "it is an output of vertex shaders; this is a fragment shader: `gl_FragCoord` is the place of the point"
        }
        "gl_Vertex" | "gl_Normal" | "gl_MultiTexCoord0" | "gl_MultiTexCoord1" | "gl_VertexID"
        | "gl_InstanceID" => "it is an input of vertex shaders; declare a `varying`",
        "gl_FrontColor" | "gl_BackColor" => {
            "it is an output of vertex shaders; `gl_Color` is the input"
        }
        "gl_GlobalInvocationID"
        | "gl_LocalInvocationID"
        | "gl_WorkGroupID"
        | "gl_LocalInvocationIndex" => {
            "it is an input of compute shaders; `gl_FragCoord` is the place of the point"
        }
        "gl_FragDepth" | "gl_FragDepthEXT" => {
            "the machine has no depth: write the value to an output"
        }
        "gl_PrimitiveID"
        | "gl_Layer"
        | "gl_ViewportIndex"
        | "gl_ClipDistance"
        | "gl_SampleID"
        | "gl_SamplePosition"
        | "gl_SampleMaskIn"
        | "gl_NumSamples"
        | "gl_HelperInvocation"
        | "gl_LastFragData"
        | "gl_PointFadeThresholdSize" => {
            "the machine has no such value: declare a `uniform` or a `varying`"
        }
        "fragColor" => "declare an output: `out vec4 fragColor;`, or write to `gl_FragColor`",
        "SV_Position" | "SV_Target" | "SV_Target0" => {
            "GLSL's are `gl_FragCoord` and `gl_FragColor`"
        }
        "M_PI" | "PI" | "pi" => "define it: `const float PI = 3.14159265;`",
        "iResolution" | "iTime" | "iMouse" | "iFrame" | "iDate" | "iChannel0" | "iGlobalTime" => {
            "declare a `uniform`: only Shadertoy's sources, with `mainImage` instead of `main`, have it"
        }
        "resolution" | "time" | "u_resolution" | "u_time" => "declare a `uniform`",
        "null" | "NULL" | "nullptr" => "GLSL has no pointers",
        _ => return None,
    })
}
