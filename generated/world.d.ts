// Generated from openapi/ by `npm run build`. Edit that, not this.

import type { Problem } from './validators.js'

/** The problems of a world of the sandbox, by the JSON Schema `world.schema.json`; empty when there are none. */
export declare function validateWorld(value: unknown): Problem[]
