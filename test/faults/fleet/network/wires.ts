import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** The connections of one process to some servers of this machine, which can be cut and mended. */
export class Wires {
  private readonly wires = new Map<number, Wire>()

  /** Wires to these ports. */
  static async to(ports: readonly number[]): Promise<Wires> {
    const wires = new Wires()
    for (const port of ports) wires.wires.set(port, await Wire.to(port))
    return wires
  }

  /** Where to connect instead, for each port. */
  get ports(): Record<number, number> {
    return Object.fromEntries([...this.wires].map(([port, wire]) => [port, wire.port]))
  }

  /** Ends what is open and refuses what comes, until `mend`. Without ports all of them. */
  cut(ports: readonly number[] = [...this.wires.keys()]): void {
    for (const port of ports) this.wires.get(port)?.cut()
  }

  mend(): void {
    for (const wire of this.wires.values()) wire.isCut = false
  }

  close(): void {
    for (const wire of this.wires.values()) wire.close()
  }
}

class Wire {
  isCut = false
  private readonly sockets = new Set<Socket>()

  private constructor(private readonly server: Server) {}

  static async to(target: number): Promise<Wire> {
    const server = createServer({ noDelay: true })
    const wire = new Wire(server)
    server.on('connection', client => wire.join(client, target))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return wire
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port
  }

  cut(): void {
    this.isCut = true
    for (const socket of this.sockets) socket.destroy()
  }

  close(): void {
    this.server.close()
    this.cut()
  }

  private join(client: Socket, target: number): void {
    if (this.isCut) {
      client.destroy()
      return
    }
    const upstream = connect({ port: target, host: '127.0.0.1', noDelay: true })
    client.pipe(upstream).pipe(client)
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.sockets.add(socket)
      socket.on('error', () => {})
      socket.once('close', () => {
        this.sockets.delete(socket)
        other.destroy()
      })
    }
  }
}
