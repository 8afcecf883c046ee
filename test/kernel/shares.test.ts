import { Shares } from '../../src/kernel/shares.js';

function takeAll(shares: Shares, owner: string): number {
  let taken = 0;
  for (; shares.hasRoomFor(owner); taken += 1) shares.take(owner);
  return taken;
}

it('gives one owner half, and leaves slots for the next owner', () => {
  const shares = new Shares(32);
  expect(takeAll(shares, 'a')).toBe(16);
  expect(takeAll(shares, 'b')).toBe(8);
  expect(takeAll(shares, 'c')).toBe(4);
  expect(shares.left).toBe(4);
});

it('gives two owners that take turns the same number of slots', () => {
  const shares = new Shares(32);
  while (shares.hasRoomFor('a') || shares.hasRoomFor('b')) {
    for (const owner of ['a', 'b']) if (shares.hasRoomFor(owner)) shares.take(owner);
  }
  expect([...shares.countsByOwner.values()].sort()).toEqual([11, 11]);
});

it('takes nothing from others when an owner exceeds its share', () => {
  const shares = new Shares(8);
  for (let times = 0; times < 20; times += 1) shares.take('a');
  expect(shares.left).toBe(4);
  expect(shares.hasRoomFor('a')).toBe(false);
  expect(takeAll(shares, 'b')).toBe(2);
  for (let times = 0; times < 20; times += 1) shares.release('a');
  for (let times = 0; times < 2; times += 1) shares.release('b');
  expect(shares.left).toBe(8);
  expect(shares.countsByOwner.size).toBe(0);
});

it.each([
  [0, 0],
  [1, 1],
  [2, 1],
  [3, 2],
])('gives one owner alone, of %i slots, %i', (total, most) => {
  expect(takeAll(new Shares(total), 'a')).toBe(most);
});
