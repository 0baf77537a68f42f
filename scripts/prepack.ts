/** Run by npm before it packs or publishes: builds, so that nothing stale is packed, and settles the modes of the files. */
import { build, report } from './build.js'
import { settleModes } from './pack.js'

const root = process.cwd()

build({ root, output: process.stderr })
  .then(() => settleModes(root))
  .catch((error) => {
    report(error)
    process.exit(1)
  })
