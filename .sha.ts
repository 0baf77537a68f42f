import { createHash } from 'node:crypto'
import { SCRIPT } from './src/redis/script.ts'
console.log(createHash('sha1').update(SCRIPT).digest('hex'))
