import { ALL, honest } from '../test/conformance/honest-services.js'
import { ids, tryService } from '../test/conformance/service.js'
import type { ConformanceOptions } from '../src/conformance/index.js'
const depth = (process.argv[2] ?? 'normal') as 'quick'
const from=performance.now(); let bad=0
for (const [name, change, trial = ALL] of honest) {
  const t=performance.now()
  let plan=0
  const stop = new AbortController()
  let n=0
  const r = await tryService((s,x)=>{ if(++n>9000) stop.abort(); return change(s,x)}, {...trial, options:{depth,seed:7,signal:stop.signal,...trial.options}})
  const ms=performance.now()-t
  const f=r.findings.filter(f=>f.outcome==='fail')
  if (f.length || ms>5000 || !r.complete) { if(f.length) bad++; console.log((f.length?'FAIL ':'slow/incomplete ')+name, Math.round(ms), n, r.remarks.join('|').slice(0,200)); for (const x of f.slice(0,4)) console.log('    ',x.basis,x.message.slice(0,220)) }
}
console.log(honest.length,'honest,',bad,'failed', Math.round((performance.now()-from)/1000),'s')
