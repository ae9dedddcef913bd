import type { ChangeHistory } from './change-history.js'
import type { Markers } from './markers.js'
import type { StoreGeneration } from './store-generation.js'

/** How the data of a shard fits the database. */
export interface ShardState {
  /**
   * `incomplete`: the data of a partition is gone. `foreign`: some belongs to another installation. `ahead`:
   * it knows changes that the database does not have, because the database is older.
   */
  readonly is: 'complete' | 'incomplete' | 'foreign' | 'ahead'
  /**
   * Every change up to this id is there; Infinity on a shard without slots. Meaningless unless it is
   * complete.
   */
  readonly lowest: number
}

/** Compares the markers of a shard with the database. */
export class ShardStates {
  constructor(
    private readonly markers: Markers,
    private readonly generation: StoreGeneration,
    private readonly history: ChangeHistory,
  ) {}

  async of(shard: string): Promise<ShardState> {
    const { lowest, areComplete, areForeign } = await this.markers.findOn(
      shard,
      await this.generation.current(),
    )
    if (areForeign) return { is: 'foreign', lowest }
    if (!areComplete) return { is: 'incomplete', lowest }
    if (lowest !== Infinity && lowest > (await this.history.newestId())) return { is: 'ahead', lowest }
    return { is: 'complete', lowest }
  }
}
