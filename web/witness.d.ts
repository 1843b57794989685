// What the types of browsers lack, and what witness.js has of run.js, which is before it in the page.

type Flags<Names extends string> = Record<Names, number>;
declare const GPUBufferUsage: Flags<"COPY_DST" | "COPY_SRC" | "MAP_READ" | "QUERY_RESOLVE" | "STORAGE" | "UNIFORM">;
declare const GPUMapMode: Flags<"READ">;
declare const GPUShaderStage: Flags<"COMPUTE">;

declare const bytes: typeof import("./run.js").bytes;
declare const difference: typeof import("./run.js").difference;
declare const openDevice: typeof import("./run.js").openDevice;
declare const probe: typeof import("./run.js").probe;
declare const run: typeof import("./run.js").run;
declare const words: typeof import("./run.js").words;
