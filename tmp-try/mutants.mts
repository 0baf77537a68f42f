import { ids, tryService } from '../test/conformance/service.js'
const mods = await Promise.all(['responses','credentials','runs','limits','assumed'].map(n=>import('../test/conformance/mutants/'+n+'.js')))
const mutants = mods.flatMap(m=>Object.values(m).filter(Array.isArray).flat()) as any[]
const depth = (process.argv[2] ?? 'normal') as 'quick'
const only = process.argv[3]
let bad=0, exact=0, missed=0; const from=performance.now()
for (const m of mutants) {
  if (only && !m.name.includes(only)) continue
  const trial=m.trial??{}
  const r = await tryService(m.change, {...trial, options:{depth,seed:7,...trial.options}})
  const f=ids(r,'fail').sort(), c=ids(r,'contradicted').sort()
  const want=[...(m.fails??[])].sort(), wantC=[...(m.contradicts??[])].sort()
  const is = f.join()===want.join() && (want.length>0&&!m.contradicts || c.join()===wantC.join())
  if (want.length && !f.length) missed++
  if (!is) { bad++; console.log((want.length&&!f.length?'MISSED ':'diff ')+m.name,'| want',want.join(' '),wantC.join(' '),'| got',f.join(' '),'/',c.join(' ')); 
   if (only) for (const x of r.findings) if (/fail|contrad/.test(x.outcome)) console.log('   ',x.outcome,x.basis,x.message) }
}
console.log(mutants.length,'mutants',bad,'different',missed,'missed', Math.round((performance.now()-from)/1000),'s')
