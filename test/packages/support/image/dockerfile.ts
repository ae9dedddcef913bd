export interface Step {
  readonly instruction: string
  readonly text: string
}

export interface Stage {
  /** After AS; empty for the last one. */
  readonly name: string
  readonly steps: readonly Step[]
}

/** The stages of a Dockerfile, in order. What comes before the first FROM is left out. */
export function stagesOf(dockerfile: string): Stage[] {
  const lines = dockerfile
    .split('\n')
    .filter(line => !/^\s*#/.test(line))
    .join('\n')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
  const stages: { name: string; steps: Step[] }[] = []
  for (const line of lines) {
    const [instruction = '', text = ''] = /^(\S+)\s+(.*)$/.exec(line)?.slice(1) ?? []
    if (instruction === 'FROM') stages.push({ name: / AS (\S+)$/.exec(text)?.[1] ?? '', steps: [] })
    else stages.at(-1)?.steps.push({ instruction, text })
  }
  return stages
}

/** Whether .dockerignore keeps this path, relative to the context, out of it. */
export function ignoredBy(dockerignore: string): (path: string) => boolean {
  const patterns = dockerignore
    .split('\n')
    .filter(line => line !== '')
    .map(line => new RegExp(`^${line.replaceAll('.', '\\.').replaceAll('*', '[^/]*')}(/|$)`))
  return path => patterns.some(pattern => pattern.test(path))
}
