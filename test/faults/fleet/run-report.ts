import { writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import type { History } from './history.js'

/** What a run has seen so far, as text, and in a file after each round. */
export class RunReport {
  private readonly startedAt = new Date()
  private readonly roundsByFault = new Map<string, number>()
  private isFinished = false

  constructor(
    private readonly history: History,
    private readonly run: { readonly planned: number; readonly seed: number },
    private readonly file?: string,
  ) {}

  async played(fault: string): Promise<void> {
    this.roundsByFault.set(fault, (this.roundsByFault.get(fault) ?? 0) + 1)
    await this.write()
  }

  /** No more rounds come, and all that ended has been asked for again. */
  async finish(): Promise<void> {
    this.isFinished = true
    await this.write()
  }

  text(): string {
    const { history, startedAt } = this
    const { planned, seed } = this.run
    const rounds = [...this.roundsByFault.values()].reduce((sum, count) => sum + count, 0)
    const seconds = Math.round((Date.now() - startedAt.getTime()) / 1_000)
    const lines = [
      `${startedAt.toISOString().slice(0, 10)}, Node ${process.versions.node}, ${cpus().length} cores, seed ${seed}`,
      `${rounds} of ${planned} rounds, ${history.refreshes} refreshes, ${history.revived} revived, ` +
        `${history.faults.length} faults, ${seconds} s${this.isFinished ? '' : ', unfinished'}`,
      ...[...history.longestOutages].map(
        ([fault, { ofShard, elsewhere }]) =>
          `  ${fault}: ${this.roundsByFault.get(fault) ?? 0} rounds, longest 503 ${ofShard.toFixed(1)} s, ` +
          `at other shards ${elsewhere.toFixed(1)} s`,
      ),
      ...history.faults,
    ]
    return `${lines.join('\n')}\n`
  }

  private async write(): Promise<void> {
    if (this.file) await writeFile(this.file, this.text())
  }
}
