// The limiter of release 4.0.0 and the model of its script, bundled from its tag by esbuild: a rollout has both releases.
var V={hobby:{name:"Hobby",apiAccess:!1},pro:{name:"Pro",apiAccess:!0,requestsPerMinute:60,burst:120},pro10x:{name:"Pro 10\xD7",apiAccess:!0,requestsPerMinute:300,burst:600}};function ye(e,a=1){let{requestsPerMinute:t,burst:r}=Object(e);return Number.isFinite(t)&&t>0&&Number.isFinite(r)&&r>=a}function z(e){if(typeof e!="string")return e;let a=V[e];return a?.apiAccess?a:void 0}var Ee=()=>`${Object.entries(V).flatMap(([e,{apiAccess:a}])=>a?`'${e}'`:[]).join(", ")} or { requestsPerMinute, burst }`,P=(e,a)=>({accepts:e,expected:a});function ke(e,a,t="",r=""){return X(e)?Object.entries(e).flatMap(([n,s])=>{if(s===void 0)return[];if(!Object.hasOwn(a,n))return`unknown option "${t}${n}"; expected one of: ${Object.keys(a).join(", ")}${r}`;let{accepts:d,expected:i}=a[n];return d(s)?[]:`${t}${n} must be ${i}`}):["the options must be an object"]}var Se=(e,a,t)=>t.filter(r=>e[r]===void 0).map(r=>`${r} must be ${a[r].expected}`);function Pe(e,a){let t=a.filter(r=>r!==!1);if(t.length>0)throw new TypeError(`${e}: ${t.join("; ")}.`)}var X=e=>/^\[object (?:Object|Module|AbortController)\]$/.test(Object.prototype.toString.call(e)),Re=e=>typeof e=="function",Oe=(e,a)=>P(t=>Number.isSafeInteger(t)&&Number(t)>=e&&Number(t)<=(a??Number.MAX_SAFE_INTEGER),a===void 0?`an integer >= ${e}`:`an integer from ${e} to ${a}`),$e=(...e)=>P(a=>e.includes(a),e.map(a=>typeof a=="string"?`'${a}'`:String(a)).join(" or ")),yt=$e(!0,!1),J=P(Re,"a function"),Et=P(X,"an object"),Te=(e,a)=>{let t=Object.entries(a).filter(([,r])=>r!==void 0);return{...e,...Object.fromEntries(t)}};function Z(e,a,t){let r=e.get(a);if(r!==void 0)return r;let n=t();return e.set(a,n),n}var R=({reason:e})=>e===void 0?Object.assign(new Error("The call was aborted."),{name:"AbortError"}):e;function ee(e){if(e?.aborted)throw R(e)}function C(e,a){if(!e)return()=>{};let t=Z(U,e,()=>(e.addEventListener("abort",te),new Set));return t.add(a),()=>{t.delete(a)&&t.size===0&&ae(e)}}var U=new WeakMap;function te({target:e}){let a=e;for(let t of U.get(a)??[])t();ae(a)}function ae(e){e.removeEventListener("abort",te),U.delete(e)}var Ae=2**31-1,Fe=250,Ne=new WeakMap,Ie=e=>Z(Ne,e,()=>De(e));function De(e){let a=-1/0,t=s=>(a=Math.max(a,s),a),r=()=>t(Math.floor(e.now()*1024)/1024),n=(s,d)=>{if(s===1/0)return()=>{};let i=r(),l=0,o,c=h=>{let p=Math.min(Math.ceil(h),Ae);l+=p,o=e.setTimeout(m,p)},m=()=>{i+l-r()>Fe&&t(i+l);let h=i+s-r();h>0?c(h):d()};return c(s),()=>e.clearTimeout(o)};return{now:r,wallTime:()=>e.wallTime?.()??Date.now(),after:n,withTimeout:(s,d,i,l)=>new Promise((o,c)=>{if(s?.aborted)return c(R(s));let m=new AbortController,h=g=>{x(),c(g),m.abort(g)},p=n(d,()=>h(i())),b=C(s,()=>h(R(s))),x=()=>{p(),b()};l(m.signal,h).finally(x).then(o,c)}),sleep:Le(n)}}var Le=e=>(a,t)=>new Promise((r,n)=>{if(t?.aborted)return n(R(t));let s=e(a,()=>{d(),r()}),d=C(t,()=>{s(),n(R(t))})}),B=0,_=0,je={now(){let e=performance.now();return _=Math.max(_,B-e),B=e+_,B},setTimeout:(e,a)=>setTimeout(e,a),clearTimeout:e=>clearTimeout(e)},{now:Ce,after:Ue,withTimeout:kt,sleep:St}=Ie(je),D=9,re=e=>new DOMException(`No token is expected within ${e} ms (timeout).`,"TimeoutError");function Be(e=()=>!0){let a=ne(),t=ne(),r={ordinary:a,poll:t},n=0,s=i=>{n=i==="poll"||!t.first()?0:n+1},d=()=>{let i=a.first(),l=t.first();return l&&(!i||n>=D&&e(l.missing))?l:i};return{wanted:()=>a.missing()+t.missing(),ahead(i){if(i==="ordinary"){let o=Math.min(t.missing(),Math.floor(a.missing()/D));return{all:a.missing()+o,polls:o}}let l=Math.max(0,D-n);return{all:Math.min(a.missing(),l+D*t.missing())+t.missing(),polls:t.missing()}},next:d,give(i){let l=i;for(let o=d();o&&l>0;o=d()){let c=Math.min(l,o.missing);l-=c,r[o.priority].give(o,c),o.missing===0&&o.admit()}return l},join(i,l){return ee(l.signal),_e(r[l.priority],i,l,s)},sift(i){let l=[];for(let o of[...a.clear(),...t.clear()]){let c=o.tooLate(i(o));c?l.push([o,c]):r[o.priority].add(o)}for(let[o,c]of l)o.leave(c)}}}function _e(e,a,{signal:t,priority:r,tooLate:n,onLeave:s},d){let i=l=>{};return{admitted:new Promise((l,o)=>{let c=()=>{e.remove(h),p()},m=()=>{c(),d(r),l()};i=b=>{c(),o(b),s(a-h.missing)};let h={missing:a,priority:r,tooLate:n,admit:m,leave:i},p=C(t,()=>i(R(t)));e.add(h)}),leave:i}}function ne(){let e=new Set,a=0;return{first(){let[t]=e;return t},missing:()=>a,add(t){e.add(t),a+=t.missing},give(t,r){t.missing-=r,a-=r},remove:t=>{e.delete(t)&&(a-=t.missing)},clear(){let t=[...e];return e.clear(),a=0,t}}}var qe={wanted:0,mode:"none",spent:0,pause:0,place:0,left:0,patience:0,age:0},q=["rate","burst","wanted","mode","processes","elapsed","spent","pause","initial","keep","place","left","patience","age"],A=864e5,G=250;function Ge(e,a,t,r=1){let n=ie(e,a,t,r);return n===0&&(e.tokens=Math.max(0,e.tokens-r)),n}function ie(e,a,t,r=1){We(e,a,t);let n=r-e.tokens-F;return n>0?Math.ceil(n/oe(a)+Math.max(0,e.at-t)):0}function We(e,a,t){return t>e.at&&(e.tokens=Math.min(a.burst,e.tokens+(t-e.at)*oe(a)),e.at=t),e}var oe=({requestsPerMinute:e})=>e/6e4,F=1e-6,u={burstWindow:500,longestBurstWait:5e3,usualSilence:5e3,shortestSilence:500,silenceEach:30,silenceEachDying:10,longestSilence:3e4,grace:1e3,period:250,mostPeriods:150,leastDeaths:2,nearlyFull:.75,setbackIntervals:5,deathsHalfLife:5e3,longestDebt:1e3},Ye=`
local input = {}
for index, name in ipairs({${q.map(e=>`'${e}'`).join(", ")}}) do
  input[name] = tonumber(ARGV[index]) or ARGV[index]
end
local mode, rate, burst, wanted = input.mode, input.rate, input.burst, input.wanted
local interval = 1 / rate
local function read(field) return tonumber(redis.call('HGET', KEYS[1], field)) or 0 end
local function within(value, most) return value > 0 and value <= most and value or 0 end
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local passed = math.max(0, math.min(now - read('at'), input.elapsed))
`,He=`
local pause, tokens = read('pause'), input.initial - math.max(0, input.spent)
if redis.call('HGET', KEYS[1], 'at') then
  tokens = math.min(burst, read('tokens') + math.max(0, passed - pause) * rate) - input.spent
end
tokens = math.min(burst, math.max(tokens, -${u.longestDebt} * rate))
pause = within(pause - passed, ${A})
if input.pause > 0 then
  pause = math.max(pause, input.pause)
  tokens = 1
end
`,Ke=`
local phase = within(read('phase'), ${u.period}) + passed
local newlyOver = math.floor(phase / ${u.period})
local periodsOver = within(read('turn'), 1e12) + newlyOver
phase = phase - newlyOver * ${u.period}
local deaths = within(read('died'), 1e6) * 0.5 ^ (passed / ${u.deathsHalfLife})
local places, index = {}, -newlyOver
for text in string.gmatch(redis.call('HGET', KEYS[1], 'places') or '', '%d+') do
  index = index + 1
  local count = within(tonumber(text), 1e6)
  if index <= 0 then
    deaths = deaths + count
  elseif index <= ${u.mostPeriods} then
    places[index] = count
  end
end
local ownPeriod = input.place - periodsOver
local hasPlace = input.place > 0 and (places[ownPeriod] or 0) > 0
if hasPlace then places[ownPeriod] = places[ownPeriod] - 1 end
local waiting = 0
for _, count in ipairs(places) do waiting = waiting + count end
local areDying = deaths >= math.max(${u.leastDeaths}, waiting)
`,Qe=`
local burstReservedFor = within(read('start') - passed, ${A})
local firstIn = math.max(pause + math.max(0, 1 - tokens) / rate, burstReservedFor)
local lastIn = firstIn + (waiting + (hasPlace and 1 or 0)) / rate
local reservedFor = math.min(within(read('queue') - passed, ${A}), lastIn)
local lastReserved = math.max(0, reservedFor - interval)
if hasPlace and (mode == 'none' or mode == 'new') then reservedFor = lastReserved end
`,Ve=`
local available = math.floor(tokens + ${F})
local plenty = 2 + ${G} * rate
local isPlenty = tokens >= plenty
local equalPart = math.floor(available / math.max(1, (reservedFor + burstReservedFor) * rate))
local grant = {}
function grant.none() return available end
function grant.due() return math.max(isPlenty and 2 or 1, equalPart) end
function grant.wait()
  local isNext = input.left <= 0 or lastReserved == 0
  return (isNext or isPlenty) and math.max(1, equalPart) or 0
end
function grant.new()
  local isFree = waiting == 0 and (burstReservedFor == 0 or isPlenty)
  local wouldBeLost = areDying and isPlenty and tokens > burst * ${u.nearlyFull}
  return (isFree or wouldBeLost) and math.max(1, math.floor(burst / input.processes)) or 0
end
local granted = 0
if pause == 0 and available > 0 then granted = math.min(grant[mode](), wanted, available) end
tokens = tokens - granted
`,ze=`
local setback = ${u.setbackIntervals} / rate
local function comeForMore(earliest)
  local wait = math.max(earliest, ${u.burstWindow}, math.min(burstReservedFor, ${u.longestBurstWait}))
  burstReservedFor = wait + interval
  return wait
end
local function keepTime(earliest)
  local wait = math.max(earliest, math.min(input.left, lastReserved), 1)
  reservedFor = math.max(reservedFor, wait + interval)
  return wait
end
local function reserve(earliest)
  local wait = math.max(earliest, reservedFor, burstReservedFor)
  if wait == 0 then wait = interval end
  if wait <= input.patience then reservedFor = wait + interval end
  return wait
end
local function timeInQueue(earliest)
  local gotNothing = hasPlace and granted == 0
  if mode == 'wait' and gotNothing then return keepTime(earliest) end
  if mode == 'due' and gotNothing and reservedFor > earliest + setback then return earliest + setback end
  return reserve(earliest)
end
local function silence()
  local usual, each = ${u.usualSilence}, ${u.silenceEach}
  if areDying then usual, each = ${u.shortestSilence}, ${u.silenceEachDying} end
  local byAge = math.max(${u.shortestSilence}, math.min(usual, input.age))
  return math.max(byAge, math.min(${u.longestSilence}, waiting * each))
end
local function takePlace(again)
  local period = math.floor((phase + again + ${u.grace}) / ${u.period}) + 1
  for empty = #places + 1, period do places[empty] = 0 end
  places[period] = places[period] + 1
  return periodsOver + period
end
local wait, again, place = 0, 0, 0
if granted < wanted then
  wait = pause + math.max(0, 1 - tokens) / rate
  local isMoreOfBurst = mode == 'new' and tokens >= 1 or mode == 'due' and input.place == 0 and tokens >= plenty
  if granted > 0 and isMoreOfBurst then
    wait = comeForMore(wait)
    again = wait
  elseif mode ~= 'none' then
    wait = timeInQueue(wait)
    again = wait
    if wait <= input.patience then
      again = math.min(wait, silence())
      place = takePlace(again)
    end
  end
end
`,Xe=`
redis.call('HSET', KEYS[1], 'at', now, 'tokens', tokens, 'queue', reservedFor, 'pause', pause)
if mode ~= 'none' or #places > 0 then
  local listed = table.concat(places, ',')
  redis.call('HSET', KEYS[1], 'start', burstReservedFor, 'died', deaths, 'turn', periodsOver, 'phase', phase, 'places', listed)
end
local full = (burst - tokens) / rate + pause
redis.call('PEXPIRE', KEYS[1], math.ceil(math.max(full, reservedFor) + input.keep))
return {granted, math.ceil(wait), math.max(0, math.floor(tokens + ${F})), math.ceil(again), place}
`,Je=[Ye,He,Ke,Qe,Ve,ze,Xe].join(""),se="2e6f483e983cb7fd7aaac6c514b419785dc3edcc",W={first:100,longest:800},Ze=5e3;function et({send:e,timeout:a,onDegraded:t},r){let n=!1,s=-1/0,d=W.first;function i(){n&&t(!1),n=!1,d=W.first}function l(o){n||t(!0,o),n=!0,s=r.now()+(o instanceof le?Ze:d),d=Math.min(2*d,W.longest)}return{isDegraded:()=>n,retryIn:()=>n?s-r.now():0,async run(o,c,m=()=>{}){s=r.now()+a;let h=tt(e,o,c);try{let p=await rt(h,a,r);return i(),p}catch(p){throw l(p),h.then(b=>{s=-1/0,m(b)},()=>{}),p}}}}async function tt(e,a,t){let r=q.map(d=>String(t[d])),n;try{n=await e(["EVALSHA",se,"1",a,...r])}catch(d){if(!/NOSCRIPT/i.test(String(d)))throw d;n=await e(["EVAL",Je,"1",a,...r])}let s=at(n,t.wanted);if(!s)throw new Error("Redis sent a reply that is not from the rate limit script.");return s}function at(e,a){let[t=NaN,r=NaN,n=0,s=r,d=0]=Array.isArray(e)?e.map(Number):[];return t>=0&&t<=a&&r>=0&&r<1/0&&(t===a||r>0)?{granted:t,wait:r,tokens:n,again:s,place:d}:void 0}var le=class extends Error{},rt=(e,a,{after:t})=>new Promise((r,n)=>{let s=t(a,()=>{s=t(1,()=>n(new le(`Redis did not reply within ${a} ms (timeout).`)))});e.finally(()=>s()).then(r,n)}),nt=30*864e5,it=9e15;function ot(e,a){let{key:t,timeout:r}=e,n={...st(e),processes:e.processes,initial:0,keep:nt},s=et(e,a),d=0,i=0,l=-1/0;return{isDegraded:s.isDegraded,retryIn:s.retryIn,use(o){d+=o},giveBack(o){i+=o},hasUnused:()=>i>0,async run(o,c){let m=a.now(),h=m-l+r,p=s.isDegraded()?r:Math.min(h,it),b={...n,...qe,elapsed:p,spent:d-i,...o},x=d;i=0;let g=await s.run(t,b,({granted:w})=>{i+=w,c()});return d-=x,l=m,g}}}function st({limit:{requestsPerMinute:e,burst:a},timeout:t}){let r=e/6e4;return{rate:r,burst:Math.max(Math.min(a,2),a/2,a-r*2*t)}}function lt(e){let a=e(),t=-1/0,r=-1/0,n=0,s=d=>d<t?"wait":d-t<=G?"due":"new";return{hasPlace:()=>n>0,left:()=>t-e(),askIn:()=>r-e(),forget(){t=r=-1/0,n=0},takeRequest(d,i){let l=e(),o={place:n,age:l-a};if(n=0,d===0)return o.place>0&&(t=r=-1/0),o;let c=Math.max(0,t-l);return{...o,mode:s(l),left:c,patience:Math.min(i,A)}},update(d,{wait:i,again:l,place:o}){n=o,d!==0&&(t=i>0?e()+i:-1/0,r=i>0?e()+l:-1/0)}}}function dt({limit:e,processes:a,timeout:t},r){let n=e.requestsPerMinute/a,s={requestsPerMinute:n,burst:Math.max(1,n/6e4*t)},d={tokens:0,at:0};return{empty(i){d.tokens=0,d.at=Math.max(r(),i)},handOut(i){let l=0;for(;i.wanted()>0&&Ge(d,s,r())===0;l++)i.give(1);return l},wait:()=>ie(d,s,r())}}function ct(e,a,t,r){let{now:n}=t,s=dt(a,n),d=lt(n),i=-1/0,l=()=>{},o=ot({...a,onDegraded:b},t),c=ut(m);function m(){if(c.isRunning())return;if(l(),o.isDegraded())return h();e.sift(d.left);let w=e.wanted()>0,M=d.askIn();w&&M>0?l=t.after(M,m):(w||o.hasUnused()||d.hasPlace())&&c.run(p)}function h(){if(e.wanted()!==0){if(o.retryIn()<=0)return void c.run(()=>o.run({pause:Math.max(0,i-n())},m));o.use(s.handOut(e)),e.wanted()>0&&(l=t.after(Math.min(s.wait(),o.retryIn()),m))}}async function p(){let w=n(),M=e.wanted(),E=await o.run({wanted:M,...d.takeRequest(M,r())},m);d.update(M,E),o.giveBack(n()-w>a.timeout?E.granted:e.give(E.granted))}function b(w,M){w&&s.empty(i),d.forget(),a.onDegraded(w,M)}function x(w){i=Math.max(i,n()+w),o.isDegraded()?s.empty(i):o.run({pause:w},m).catch(de)}function g(w){o.giveBack(w),queueMicrotask(m)}return{serve:m,pause:x,giveBack:g,pausedUntil:()=>i}}function ut(e){let a=!1;return{isRunning:()=>a,async run(t){a=!0,await Promise.resolve().then(t).catch(de),a=!1,e()}}}var de=()=>{};function ce(e,a){let{now:t,after:r}=a,{limit:n,timeout:s}=e,d=mt(t),i=Be(),l=ct(i,e,a,d.patience);return{async acquire(o,{signal:c,timeout:m=1/0,...h}={}){let p=h.priority??"ordinary";ee(c);let b=Math.ceil(o);if(!Number.isSafeInteger(b))throw new RangeError(`cost must be a finite number of tokens, but is ${o}.`);let x=t()+m,g=y=>y>0&&t()+y>=x?re(m):void 0,w=ht(i.ahead(p).all+b,n),M=g(Math.max(l.pausedUntil()-t(),w));if(M)throw M;if(b<=0)return;let{admitted:E,leave:O}=i.join(b,{signal:c,priority:p,tooLate:g,onLeave:l.giveBack}),S=d.add(x),L=r(Math.max(m,s),()=>O(re(m)));l.serve(),await E.finally(()=>{S(),L()})},penalize(o){if(!(o>0))return;let c=Math.min(Math.ceil(o),A);i.sift(()=>c),l.pause(c)}}}function mt(e){let a=new Set;return{add(t){let r={at:t};return a.add(r),()=>{a.delete(r)}},patience:()=>Math.max(0,...[...a].map(({at:t})=>t-e()))}}var ht=(e,{requestsPerMinute:a,burst:t})=>6e4*(e-t)/a,ue=new WeakSet;function pt(e,a,...t){if(!a)return;let r=n=>{ue.has(a)||console.warn(`${e} failed (reported once):`,n),ue.add(a)};try{Promise.resolve(a(...t)).catch(r)}catch(n){r(n)}}var ft={send:J,prefix:P(e=>typeof e=="string","a string"),timeout:P(e=>Number.isFinite(e)&&Number(e)>0,"a number of ms above 0"),onDegraded:J},wt={prefix:"wf:",timeout:250};function gt(e,a,t,r){return Pe(e,[...ke(a,t),...Se(a,t,r)]),{...Te(wt,a),onDegraded:(n,s)=>pt("onDegraded",a.onDegraded,n,s)}}function vt(e){let{workspace:a,plan:t,prefix:r,...n}=gt("createRedisRateLimiter",e,bt,["send","workspace","plan","processes"]),s=`${r}limit:{${a}}`;return ce({...n,key:s,limit:z(t)},{now:Ce,after:Ue})}var bt={...ft,workspace:P(e=>typeof e=="string"&&e!=="","a non-empty string"),plan:P(e=>ye(z(e)),Ee()),processes:Oe(1)};function Mt(e,a,t){let{mode:r,rate:n,burst:s,wanted:d}=t,i=1/n,l=Math.max(0,Math.min(a-(e.at??0),t.elapsed)),o=Math.min(s,e.tokens+Math.max(0,l-e.pause)*n),c=e.at===void 0?t.initial-Math.max(0,t.spent):o-t.spent;c=Math.min(s,Math.max(c,-u.longestDebt*n));let m=Math.max(0,e.pause-l);t.pause>0&&(m=Math.max(m,t.pause),c=1);let h=Math.floor((e.phase+l)/u.period),p=e.turn+h,b=e.phase+l-h*u.period,x=me(e.places.slice(0,h),e.died*.5**(l/u.deathsHalfLife)),g=e.places.slice(h),w=t.place-p-1,M=t.place>0&&(g[w]??0)>0;M&&g[w]--;let E=me(g),O=x>=Math.max(u.leastDeaths,E),S=Math.max(0,e.start-l),L=Math.max(m+Math.max(0,1-c)/n,S),y=Math.min(Math.max(0,e.queue-l),L+(E+(M?1:0))/n),j=Math.max(0,y-i);M&&(r==="none"||r==="new")&&(y=j);let N=Math.floor(c+F),Y=2+G*n,I=c>=Y,H=Math.floor(N/Math.max(1,(y+S)*n)),he={none:()=>N,due:()=>Math.max(I?2:1,H),wait:()=>t.left<=0||j===0||I?Math.max(1,H):0,new:()=>{let v=E===0&&(S===0||I),f=O&&I&&c>s*u.nearlyFull;return v||f?Math.max(1,Math.floor(s/t.processes)):0}},$=m===0&&N>0?Math.min(he[r](),d,N):0;c-=$;let K=u.setbackIntervals/n,pe=v=>{let f=Math.max(v,u.burstWindow,Math.min(S,u.longestBurstWait));return S=f+i,f},fe=v=>{let f=Math.max(v,Math.min(t.left,j),1);return y=Math.max(y,f+i),f},we=v=>{let f=Math.max(v,y,S)||i;return f<=t.patience&&(y=f+i),f},ge=v=>{let f=M&&$===0;return r==="wait"&&f?fe(v):r==="due"&&f&&y>v+K?v+K:we(v)},ve=()=>{let v=O?u.shortestSilence:u.usualSilence,f=O?u.silenceEachDying:u.silenceEach,xe=Math.max(u.shortestSilence,Math.min(v,t.age));return Math.max(xe,Math.min(u.longestSilence,E*f))},be=v=>{let f=Math.floor((b+v+u.grace)/u.period);for(;g.length<=f;)g.push(0);return g[f]++,p+f+1},[k,T,Q]=[0,0,0];if($<d){k=m+Math.max(0,1-c)/n;let v=r==="new"&&c>=1||r==="due"&&t.place===0&&c>=Y;$>0&&v?(k=pe(k),T=k):r!=="none"&&(k=ge(k),T=k,k<=t.patience&&(T=Math.min(k,ve()),Q=be(T)))}Object.assign(e,{at:a,tokens:c,queue:y,pause:m}),(r!=="none"||g.length>0)&&Object.assign(e,{start:S,died:x,turn:p,phase:b,places:g});let Me=Math.max(0,Math.floor(c+F));return{granted:$,wait:Math.ceil(k),tokens:Me,again:Math.ceil(T),place:Q}}var me=(e,a=0)=>e.reduce((t,r)=>t+r,a),xt=()=>({tokens:0,queue:0,start:0,pause:0,died:0,turn:0,phase:0,places:[]});export{q as ARGUMENTS,se as SCRIPT_SHA,ce as createLimiter,vt as createRedisRateLimiter,xt as emptyState,Mt as runModel};
