/**
 * What is known after a trigger: `safe`, no run was started, or the specification calls a repetition safe; `started`, a
 * run was started; `unknown`, a run may have been started.
 */
export type TriggerOutcome = 'safe' | 'started' | 'unknown'
