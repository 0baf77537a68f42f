// Generated from openapi/ by `npm run build`. Edit that, not this.

import type { Check } from '../src/internal/validate.js'

declare const checks: {
  "world": Check
}
export default checks
