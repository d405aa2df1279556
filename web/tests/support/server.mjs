// The server under test, started as a user would start it.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The program; the debug build where none is named. */
export const program = process.env.LLAMAFUR ?? fileURLToPath(new URL('../../../target/debug/llamafur', import.meta.url));

/** Runs a command of the program and returns what it writes to stdout. */
export async function run(...args) {
  const child = spawn(program, [...args, '--progress', 'none'], { stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, err] = ['', ''];
  child.stdout.on('data', (data) => (out += data));
  child.stderr.on('data', (data) => (err += data));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`llamafur ${args.join(' ')} ended with ${code}:\n${err}`);
  return out;
}

/** How long a server may take to print its address, in milliseconds. */
const PATIENCE = 120_000;

/** Starts `llamafur serve` on a free port; returns its address, what it has printed, and what stops it. */
export async function serve(...args) {
  const child = spawn(program, ['serve', ...args, '--bind', '127.0.0.1:0'], { stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  const address = await new Promise((resolve, reject) => {
    const fail = (why) => reject(new Error(`llamafur serve ${args.join(' ')}: ${why}\n${printed}`));
    const timer = setTimeout(() => fail('no address was printed'), PATIENCE);
    const read = (data) => {
      printed += data;
      const found = /http:\/\/[^\s/]+:\d+/u.exec(printed);
      if (found === null) return;
      clearTimeout(timer);
      resolve(found[0]);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('error', (error) => fail(error.message));
    child.once('exit', (code) => fail(`ended with ${code}`));
  }).catch((error) => {
    child.kill('SIGKILL');
    throw error;
  });
  return {
    address,
    printed: () => printed,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGINT');
      const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
      await ended;
      clearTimeout(timer);
    },
  };
}
