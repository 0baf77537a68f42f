import { behaves } from './behaves.js'
import { VERSIONS } from './prepare.js'

for (const version of VERSIONS) behaves(version)
