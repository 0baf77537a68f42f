// Generated from openapi/ by `npm run build`. Edit that, not this.

import type { ValidateFunction } from '../../src/runtime/problems.js'

declare const checks: {
  "world": ValidateFunction
}
export default checks
