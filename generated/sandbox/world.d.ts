// Generated from openapi/ by `npm run build`. Edit that, not this.

import type { Check } from '../../src/runtime/problems.js'

declare const checks: {
  "world": Check
}
export default checks
