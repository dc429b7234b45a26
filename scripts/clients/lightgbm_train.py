"""LightGBM's training by kernels beside that on its CPU: a line for each number of bins (each is another kernel) and task,
and code 1 if what the trained trees predict differs."""
import sys

import lightgbm
import numpy as np

random = np.random.default_rng(5)
# Dense and sparse columns, and one of categories.
x = random.random((20_011, 23), dtype="f4")
x[:, 5:9] *= random.random((20_011, 4)) < 0.1
x[:, 22] = random.integers(0, 40, 20_011)
y = 3 * x[:, 0] * x[:, 1] + np.sin(6 * x[:, 2]) + x[:, 7] + (x[:, 22] % 7 == 3) + 0.1 * random.standard_normal(20_011)
labels = {"regression": y, "binary": (y > np.median(y)).astype("f4"), "multiclass": np.digitize(y, np.quantile(y, [0.3, 0.6]))}
wrong = False
for bins in (15, 63, 255):
    for task, label in labels.items():
        predicted = []
        for device in ("gpu", "cpu"):
            options = {
                "objective": task, "device_type": device, "max_bin": bins, "num_leaves": 31, "verbose": -1, "num_threads": 2,
                # Sums of doubles, so that the same leaves are split.
                "gpu_use_dp": True, "force_col_wise": True, "num_class": 3 if task == "multiclass" else 1,
            }
            data = lightgbm.Dataset(x, label, categorical_feature=[22], params=options)
            predicted.append(lightgbm.train(options, data, 20).predict(x[:5000]))
        apart = np.abs(predicted[0] - predicted[1])
        ok = np.ptp(predicted[1]) > 0.3 and np.percentile(apart, 99) <= 1e-5 and apart.mean() <= 1e-4
        wrong |= not ok
        print(f"{'right' if ok else 'WRONG'}: {task}, {bins} bins, {apart.max():.2g} apart")
sys.exit(wrong)
